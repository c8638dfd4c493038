/** Reads the text of a stored proposal, in which a later release may have written more (A7). */
import { type Proposal, proposal as proposalSchema } from '../../contract/proposal.ts';
import { asStored } from '../../contract/stored.ts';
import { parseJson } from '../raw-json.ts';

/** @throws Error if it is no proposal that this version knows. A message that comes in is read by `readProposal`. */
export const storedProposal = (text: string): Proposal => asStored(proposalSchema).parse(parseJson(text));
