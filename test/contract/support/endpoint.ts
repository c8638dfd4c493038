/** Names the endpoint that the files of a project share: it goes on when one of them stops it. */
import { inject } from 'vitest';
import type { Endpoint } from '../../local/endpoint/index.ts';

export const sharedEndpoint = (): Endpoint => ({ ...inject('endpoint'), stop: async () => undefined });
