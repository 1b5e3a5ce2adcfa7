const isFlingSubdomain = (hostName: string): boolean => hostName.startsWith('fling.');

/** Path of the card verification; fling subdomains have their own (spec 1 §2). */
export const verifyPath = (
  hostName: string,
): string => (isFlingSubdomain(hostName) ? '/verify' : '/account/verify?type=rocketgate');

/** The same path without its query: billers return there after the check. */
export const verifyReturn = (
  hostName: string,
): string => (isFlingSubdomain(hostName) ? '/verify' : '/account/verify');
