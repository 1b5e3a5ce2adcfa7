import { vi } from 'vitest';
import type { TestSite } from '../site.ts';

/**
 * Makes a call during which something else happens: right before the call's unit of work number `at`, from 0.
 * Units of work of the interruption are not counted.
 * @returns whether the interruption happened, and whether the call succeeded
 */
export async function overtaken(
  site: TestSite,
  call: () => Promise<unknown>,
  happens: () => Promise<unknown>,
  at: number,
): Promise<{ readonly hasHappened: boolean; readonly isAnswered: boolean }> {
  const tx = site.data.tx.bind(site.data);
  let seen = 0;
  let isBefore = true;
  let hasHappened = false;
  const spy = vi.spyOn(site.data, 'tx').mockImplementation(async (scope, work) => {
    if (isBefore && seen === at) {
      isBefore = false;
      await happens();
      hasHappened = true;
    }
    seen += 1;
    return tx(scope, work);
  });
  try {
    const isAnswered = await call().then(() => true, () => false);
    return { hasHappened, isAnswered };
  } finally {
    spy.mockRestore();
  }
}
