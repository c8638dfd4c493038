/** Compiles the policy that synthesis put beside the code, once per process. */
import { compilePolicy } from '../../shared/config/compile.ts';
import { lazy } from './lazy.ts';
import { policyFile } from './policy-file.ts';

/** Pure: a function that never asks for it is bundled without it and all that it imports. */
export const policy = /* @__PURE__ */ lazy(() => compilePolicy(policyFile()));
