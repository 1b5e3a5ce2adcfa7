import type { PageActions } from './page-actions.ts';

type Tone = 'news' | 'success' | 'error';
/** Edge and region of each tone: what eyes and what a screen reader know it by. */
const LOOKS: Readonly<Record<Tone, { readonly edge: string; readonly role: string }>> = {
  news: { edge: 'border-l-blue', role: 'status' }, success: { edge: 'border-l-online', role: 'status' },
  error: { edge: 'border-l-danger', role: 'alert' },
};
const TONES = Object.keys(LOOKS) as Tone[];

/** The toasts that are shown now, each with its tone and its text; the tone of one that mixes two is null. */
export const toastsOf = (page: PageActions): (readonly [Tone | null, string])[] =>
  ['alert', 'status'].flatMap((region) => page.all(region)
    .flatMap((part) => page.all('button', 'Dismiss', { in: part }).map(({ parentElement: line }) => {
      const tone = TONES.find((one) => LOOKS[one].role === region
        && line?.classList.contains(LOOKS[one].edge));
      return [tone ?? null, line?.firstElementChild?.textContent ?? ''] as const;
    })));

/** Waits for a toast with exactly this text, and until it alone has it in this tone. */
export const seesToast = (page: PageActions, tone: Tone, text: string): Promise<void> =>
  page.until(() => {
    const found = toastsOf(page).filter(([, words]) => words === text);
    if (found.length !== 1 || found[0]?.[0] !== tone) {
      throw new Error(`no toast ${tone} «${text}» but ${JSON.stringify(toastsOf(page))}`);
    }
  });
