import type { openPage } from './open-page.tsx';

type Page = Awaited<ReturnType<typeof openPage>>;

/** Opens the modal of age verification from the entry gate, as anybody does. */
export async function opensAgeModal(page: Page, title: string): Promise<HTMLElement> {
  await page.find('heading', 'Age verification required');
  await page.press('Verify your age', { in: await page.find('main') });
  return page.find('dialog', title);
}

/** Chooses a way in the modal that leads to a provider's page; returns the address the browser went to. */
export async function choosesProvider(page: Page, dialog: HTMLElement, way: string): Promise<string> {
  const count = page.left.length;
  await page.press(way, { in: dialog });
  return page.until(() => {
    const url = page.left[count];
    if (url === undefined) throw new Error('the page was not left');
    return url;
  });
}

/** Path and query of an address. */
export function pathOf(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname + search;
}

/** The error toast with exactly these words, which can be dismissed. */
export const findsErrorToast = (page: Page, words: string): Promise<HTMLElement> =>
  page.until(() => {
    const toasts = page.all('alert').filter((item) => page.all('button', 'Dismiss', { in: item }).length > 0);
    const found = toasts.find((toast) => page.shows(words, { in: toast }));
    if (!found) throw new Error(`no error toast says: ${words}`);
    return found;
  });
