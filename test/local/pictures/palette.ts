/** Makes a picture smaller by a palette. */
import { execFileSync } from 'node:child_process';
import { rmSync } from 'node:fs';

/** Few colours are enough for a page of text: a palette makes a third of the file. Where ImageMagick is missing the picture stays as it is. */
export function toPalette(file: string): void {
  try {
    execFileSync('convert', [file, '-strip', '-colors', '64', `PNG8:${file}.small`], { stdio: 'ignore' });
    execFileSync('mv', [`${file}.small`, file]);
  } catch {
    rmSync(`${file}.small`, { force: true });
  }
}
