/** An outside script that has not loaded by then is given up: its replacement is shown. */
const LIMIT_MS = 15_000;

/**
 * Runs a script of another origin in the page, which the content policy must allow. Resolves once it ran;
 * throws when it could not be loaded or something in the browser blocked it, and then removes it again.
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
