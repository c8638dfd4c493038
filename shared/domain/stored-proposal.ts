/** Reads the text of a proposal that the gate stored: another release may have written more into it than this one knows (A7). */
import { type Proposal, proposal as proposalSchema } from '../contract/proposal.ts';
import { asStored } from '../contract/stored.ts';
import { parseJson } from './raw-json.ts';

/** @throws Error if it is no proposal that this version knows. A message that comes in is read by `readProposal`. */
export const storedProposal = (text: string): Proposal => asStored(proposalSchema).parse(parseJson(text));
