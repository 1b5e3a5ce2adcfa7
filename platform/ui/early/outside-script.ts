/** A script of somebody else that has not come by then comes no more: what stands in for it is shown. */
const LIMIT_MS = 15_000;

/**
 * Runs a script of another origin in the page, which its content policy must allow. Resolves once it ran;
 * throws where it could not be loaded, or something in the browser held it back. Then it is taken out again.
 */
export function runOutsideScript(address: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.src = address;
    script.async = true;
    script.referrerPolicy = 'origin';
    const fail = (): void => {
      script.remove();
      reject(new Error('a script of another origin did not load'));
    };
    const limit = setTimeout(fail, LIMIT_MS);
    script.addEventListener('load', () => {
      clearTimeout(limit);
      resolve();
    });
    script.addEventListener('error', () => {
      clearTimeout(limit);
      fail();
    });
    document.head.append(script);
  });
}
