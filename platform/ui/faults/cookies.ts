/** How often cookies are compared in browsers that have no event for them (spec 3 §9). */
const COOKIE_POLL_MS = 300;

/** The cookies that scripts see, by name. */
export function readCookies(): ReadonlyMap<string, string> {
  return new Map(
    document.cookie.split('; ').filter((pair) => pair !== '').map((pair) => {
      const [name = '', ...value] = pair.split('=');
      return [name.replace(/^__Host-/u, ''), value.join('=')];
    }),
  );
}

/**
 * Calls `changed` with the names of cookies that changed in this tab or another. Uses the browser's event
 * where it exists; elsewhere it compares cookies.
 * @returns a function that stops it
 */
export function watchCookies(changed: (names: readonly string[]) => void): () => void {
  let before = readCookies();
  const compare = (): void => {
    const now = readCookies();
    const names = [...new Set([...before.keys(), ...now.keys()])]
      .filter((name) => before.get(name) !== now.get(name));
    before = now;
    if (names.length > 0) changed(names);
  };
  const { cookieStore } = window as unknown as { readonly cookieStore?: EventTarget };
  if (cookieStore) {
    cookieStore.addEventListener('change', compare);
    return () => cookieStore.removeEventListener('change', compare);
  }
  const timer = setInterval(compare, COOKIE_POLL_MS);
  return () => clearInterval(timer);
}
