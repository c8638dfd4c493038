/**
 * Tells which hosts are this machine, where plain HTTP passes nobody on its way.
 * `hostname` as in `URL`: lower case, IPv6 in brackets.
 */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || /^127(\.\d{1,3}){3}$/.test(hostname);

/**
 * As `isLoopback`, and names under `localhost` too, which are loopback by RFC 6761. Not every resolver heeds it: nothing secret may go there on
 * the strength of the name.
 */
export const isThisMachine = (hostname: string): boolean => isLoopback(hostname) || hostname.endsWith('.localhost');
