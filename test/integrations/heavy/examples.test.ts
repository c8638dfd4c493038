/** Checks the programs that the documents and the adapters' comments show. */
import { testExamples } from '../examples.ts';

testExamples('integrations-heavy', import.meta.dirname, ['claude-agent-sdk', 'google-adk', 'mastra']);
