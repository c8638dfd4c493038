/** Runs the suite of adapters with the Vercel AI SDK. */
import { vercelAi, vercelAiStreamed } from './adapters/vercel-ai.ts';
import { describeAdapter } from './contract.ts';

describeAdapter(vercelAi);
describeAdapter(vercelAiStreamed);
