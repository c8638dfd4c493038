/** Checks the programs that the documents and the adapters' comments show. */
import { testExamples } from './examples.ts';

testExamples('integrations', import.meta.dirname, ['langchain', 'mcp', 'openai-agents', 'strands', 'vercel-ai']);
