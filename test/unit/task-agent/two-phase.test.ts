/** Checks the engine when the caller runs the tools: the list first, the text after success. */
import { describe, expect, test } from 'vitest';
import { processMessage, type ToolResult, toolsOfStore } from '../../../shared/task-agent/index.ts';
import { callsToRun, recordedTools } from '../../../shared/task-agent/two-phase.ts';
import { AgentWorld } from './agent-world.ts';

/** A caller that runs the tools itself and asks again with the results (R2-074). */
async function inTwoPhases(world: AgentWorld, message: string) {
  const run = toolsOfStore(world.store);
  const results: ToolResult[] = [];
  const decisions = [];
  for (;;) {
    const decision = await processMessage(world.context(message), { ...world.ports, tools: recordedTools(results) });
    decisions.push(decision);
    const calls = callsToRun(decision, results);
    if (calls.length === 0) return decisions;
    for (const call of calls) results.push((await run(call)) as ToolResult);
  }
}

describe('when the caller runs the tools', () => {
  test('the list comes first, and the text only after success', async () => {
    const world = new AgentWorld();
    await world.store.add('u1', 'gym');
    const decisions = await inTwoPhases(world, 'mark gym as done');
    expect(decisions.map(({ tool_calls, response_text }) => [tool_calls?.at(-1)?.tool_name, response_text])).toEqual([
      ['list_tasks', null],
      ['complete_task', null],
      ['complete_task', "Done! 'gym' has been marked as completed."],
    ]);
    expect(decisions[0]?.tool_calls?.[0]?.parameters).toEqual({ user_id: 'u1' });
  });

  test('it ends where the inline engine ends', async () => {
    for (const message of [
      'todo: x',
      'show my tasks',
      'delete gym',
      'change gym to swim',
      'delete nothing',
      'hello',
      'done',
    ]) {
      const [one, two] = [new AgentWorld(), new AgentWorld()];
      for (const world of [one, two]) await world.store.add('u1', 'gym');
      expect((await inTwoPhases(one, message)).at(-1)).toEqual(await two.say(message));
    }
  });

  test('without any tools the decision says what to run', async () => {
    const { tools: _, ...ports } = new AgentWorld().ports;
    const decision = await processMessage(new AgentWorld().context('delete gym'), ports);
    expect(decision).toMatchObject({ decision_type: 'INVOKE_TOOL', response_text: null });
    expect(decision.tool_calls?.map((call) => call.tool_name)).toEqual(['list_tasks']);
  });
});
