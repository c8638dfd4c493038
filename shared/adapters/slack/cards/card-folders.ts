/** Names the folder of a call, or counts those of a batch: its first folder is not that of all. */
import { codeOf } from '../elements/blocks.ts';
import { shortened, visibleLine } from '../elements/text.ts';
import { CARD } from '../texts/card.ts';
import type { CardSource } from './card-source.ts';

const MAX_FOLDER = 100;

/** Where the calls would run, for text that a phone shows alone; empty if it is nowhere in particular. */
export const folderText = (source: Pick<CardSource, 'proposal'>): string =>
  named(source, (folder) => shortened(folder, MAX_FOLDER), CARD.in);

/** The same as markup; `most` characters of a folder. */
export const folderCode = (source: Pick<CardSource, 'proposal'>, most: number): string =>
  named(source, (folder) => codeOf(shortened(folder, most)));

function named({ proposal }: Pick<CardSource, 'proposal'>, name: (folder: string) => string, before = ''): string {
  const calls = proposal.kind === 'tool-call' ? proposal.calls : [];
  const folders = [...new Set(calls.flatMap(({ cwd }) => cwd ?? []))];
  const [folder, ...others] = folders;
  if (others.length) return `${before}${CARD.folders(folders.length)}`;
  // Beside a call that states none, the only folder that is stated is not that of all.
  const isOfAll = calls.every(({ cwd }) => cwd !== undefined);
  return folder === undefined || !isOfAll ? '' : `${before}${name(visibleLine(folder))}`;
}
