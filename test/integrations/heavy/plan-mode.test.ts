/** Tests that an approval of the gate lifts nothing of Claude Code's plan mode. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { query } from '@anthropic-ai/claude-agent-sdk';
import { afterAll, expect, test } from 'vitest';
import { claudePreToolUse } from '../../../shared/client/hooks/answers.ts';
import { settingsOf } from './claude-run.ts';
import { fakeAnthropic } from './fake-anthropic.ts';

const folder = mkdtempSync(join(tmpdir(), 'countersign-plan-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Whether the file is there after one turn whose every call the gate's hook allows. */
async function writes(tool: string, permissionMode: string, inputFor: (file: string) => object): Promise<boolean> {
  const home = mkdtempSync(join(folder, 'home-'));
  const file = join(home, 'made.txt');
  const api = await fakeAnthropic([{ id: 'call_1', name: tool, input: inputFor(file) }], tool);
  const asked: string[] = [];
  const allow = async ({ tool_name: name }: { readonly tool_name: string }) => {
    asked.push(name);
    return claudePreToolUse({ outcome: 'approved' } as never);
  };
  const env = { PATH: process.env['PATH'] ?? '', ...settingsOf(home, api.url) };
  const options = { cwd: home, env, settingSources: [], permissionMode, hooks: { PreToolUse: [{ hooks: [allow] }] } };
  for await (const message of query({ prompt: 'go', options: options as never })) if (message.type === 'result') break;
  api.close();
  expect(asked).toEqual([tool]);
  return existsSync(file);
}

test.each<[string, (file: string) => object]>([
  ['Write', (file) => ({ file_path: file, content: 'x' })],
  ['Bash', (file) => ({ command: `touch ${file}`, description: 'make a file' })],
])('%s, allowed by the gate, runs in the usual mode, and not while Claude Code plans', async (tool, inputFor) => {
  expect(await writes(tool, 'default', inputFor)).toBe(true);
  expect(await writes(tool, 'plan', inputFor)).toBe(false);
});
