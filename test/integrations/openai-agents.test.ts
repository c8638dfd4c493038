/** Runs the suite of adapters with the OpenAI Agents SDK. */
import { openaiAgents, openaiAgentsStreamed } from './adapters/openai-agents.ts';
import { describeAdapter } from './contract.ts';

describeAdapter(openaiAgents);
describeAdapter(openaiAgentsStreamed);
