import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { addAgeChecksEntry, listAgeChecksEntries } from './contract.ts';
import { MAX_ENTRIES_PER_PERSON } from './rules.ts';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

describe('entries', () => {
  it('are their author\'s alone, newest first', async () => {
    const [author, other] = [await site.viewer(), await site.viewer()];
    await author.call(addAgeChecksEntry, { text: 'one' });
    const second = await author.call(addAgeChecksEntry, { text: 'two' });
    expect(second.at).toBe(site.clock.now().toISOString());
    const { entries } = await author.call(listAgeChecksEntries, {});
    expect(entries.map((entry) => entry.text)).toEqual(['two', 'one']);
    expect((await other.call(listAgeChecksEntries, {})).entries).toEqual([]);
  });

  it('are for members, have a text, and end at the limit', async () => {
    const guest = await site.visitor();
    expect(await guest.refused(addAgeChecksEntry, { text: 'one' })).toMatchObject({ status: 401 });
    const author = await site.viewer();
    expect(await author.refused(addAgeChecksEntry, { text: '  ' })).toMatchObject({
      errorType: 'invalid_input',
    });
    for (let at = 0; at < MAX_ENTRIES_PER_PERSON; at += 1) {
      await author.call(addAgeChecksEntry, { text: `${at}` });
    }
    const { errorType } = await author.refused(addAgeChecksEntry, { text: 'one more' });
    expect(errorType).toBe('too_many_entries');
  });
});
