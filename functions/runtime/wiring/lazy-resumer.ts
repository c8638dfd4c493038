/** Loads Lambda's client with the first approval that `resume` has to decide. */
import type { Resumer } from '../../../shared/ports/workflow.ts';
import { lambdaQueue } from '../clients/aws.ts';

export const lazyResumer = (functionName: string): Resumer => ({
  async resume(pid) {
    const { lambdaResumer } = await import('../../../shared/adapters/lambda/resumer.ts');
    await lambdaResumer(await lambdaQueue(), functionName).resume(pid);
  },
});
