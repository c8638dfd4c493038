/**
 * Makes a CDK app that writes no metadata but what a deployment reads.
 *
 * The CDK's command line reads all of it anew for each event of a stack, hundreds of times: where each construct was
 * made, and the analytics that `cdk.json` asks for and the local endpoint never gets.
 */
import { App } from 'aws-cdk-lib';

export const leanApp = (): App =>
  new App({
    postCliContext: {
      'aws:cdk:disable-creation-stack-traces': true,
      'aws:cdk:disable-logicalId-metadata': true,
      '@aws-cdk/core:enableAdditionalMetadataCollection': false,
    },
  });
