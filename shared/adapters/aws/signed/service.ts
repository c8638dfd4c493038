/** Declares the differences between the services of AWS that the small client speaks to. */
import type { AwsCredentialIdentity } from '@smithy/types';
import type { ServiceException } from './exception.ts';

/** The part of the configuration of an SDK's client that is read. */
export interface SdkConfig {
  region(): Promise<string>;
  useFipsEndpoint(): Promise<boolean>;
  useDualstackEndpoint(): Promise<boolean>;
  credentials(): Promise<AwsCredentialIdentity>;
  endpointProvider(parameters: {
    readonly Region: string;
    readonly UseFIPS: boolean;
    readonly UseDualStack: boolean;
  }): { readonly url: URL };
}

/** Operations that a header names, before it the service's version: `DynamoDB_20120810`. */
interface NamedOperations {
  readonly target: string;
  readonly jsonVersion: '1.0' | '1.1';
  /**
   * Operations whose requests have a token, as the SDK gives them one: a request that is sent again, because its answer was lost, is carried
   * out once. Without it the second would meet what the first has written, and be refused.
   */
  readonly once?: ReadonlySet<string>;
}

/** Operations that the path of a request names. */
interface Routes {
  routeOf(operation: string, input: object): { readonly path: string; readonly body: object };
}

export interface Service {
  /** In the names of hosts and, unless `signedAs` differs, in signatures: `dynamodb`. */
  readonly host: string;
  readonly signedAs?: string;
  readonly operations: NamedOperations | Routes;
  /** The environment variable with an endpoint for this service alone. */
  readonly endpointVariable: string;
  /** Fields that hold bytes, or a list of them: Base64 in JSON. */
  readonly bytes: ReadonlySet<string>;
  /** Fields that hold a time: seconds since 1970 in JSON. */
  readonly times: ReadonlySet<string>;
  /** Classes of the errors that adapters tell apart by them. */
  readonly errors: Readonly<Record<string, typeof ServiceException>>;
  /** The first pause before another try, as the SDK has it for this service. */
  readonly baseDelayMs: number;
  /** For settings that only the SDK resolves: loads its client of this service. `stated`: a region instead of the process's, which may have none. */
  sdkConfig(stated?: string): Promise<SdkConfig>;
  readonly queues?: QueueRules;
}

/** The SDK's rules for SQS, which came to this protocol from another one. */
interface QueueRules {
  /** The names of errors by their codes of the earlier protocol, which a header has. */
  readonly codes: ReadonlyMap<string, string>;
  /** Operations that wait for their answer. */
  readonly polls: ReadonlySet<string>;
  /** Where a queue is; undefined for the endpoint of the client. */
  endpointOf(input: object): URL | undefined;
  /** @throws Error if the service read or sent other bodies than this side */
  check(operation: string, input: object, output: object): void;
}
