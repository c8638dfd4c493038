/** Makes a CDK app without `tree.json`, which takes a fifth of a synthesis and no test reads. */
import { App, type AppProps } from 'aws-cdk-lib';

export const newApp = (props: AppProps = {}): App => new App({ ...props, treeMetadata: false });
