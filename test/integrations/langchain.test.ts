/** Runs the suite of adapters with LangChain. */
import { langchain } from './adapters/langchain.ts';
import { describeAdapter } from './contract.ts';

describeAdapter(langchain);
