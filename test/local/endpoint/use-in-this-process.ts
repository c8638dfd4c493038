/** Gives this process the environment and the authorities of an endpoint. */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { type Endpoint, trust } from '../../../shared/dev/aws/endpoint.ts';

/** For code that knows the endpoint by the environment alone (`fetch` included). */
export function useInThisProcess(endpoint: Endpoint): void {
  Object.assign(process.env, endpoint.env);
  const { ca } = trust(endpoint);
  if (ca) setDefaultCACertificates([...getCACertificates('default'), String(ca)]);
}
