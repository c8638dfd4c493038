/** Checks the programs that the documents and the adapter's comments show. */
import { testExamples } from '../examples.ts';

testExamples('integrations-heavy', import.meta.dirname, ['claude-agent-sdk']);
