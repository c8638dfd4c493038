/** Runs the suite of adapters with LangChain. */
import { langchain, langchainTogether } from './adapters/langchain.ts';
import { describeAdapter } from './contract.ts';

describeAdapter(langchain);
describeAdapter(langchainTogether);
