/** Checks the programs that the documents show. */
import { testExamples } from '../examples.ts';

testExamples('integrations-heavy', import.meta.dirname);
