/** Declares agent policies by name: free actions, and where people and models are asked. */
import * as z from 'zod';
import { policyTree } from '../../policies/tree.ts';
import { name } from './common-fields.ts';

export const policies = z
  .record(name, policyTree)
  .default({})
  .describe('Policies that agents may name in an action-choice, each a tree of policies.');
