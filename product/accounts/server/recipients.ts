import type { Recipients } from '#product/notices/extension-points.ts';
import { DEFAULT_SETTINGS } from '../rules/settings.ts';
import { findById } from '../store.ts';
import { findRecipients, saveFeaturedShow } from '../store/recipients.ts';
import type { SettingsOfPeople } from './settings.ts';

/** What notices read about people, and the one setting that they change. */
export const recipientsOf = (settings: Pick<SettingsOfPeople, 'send'>): Recipients => ({
  find: async (tx, personIds) =>
    new Map((await findRecipients(tx, personIds)).map((row) => [row.id, {
      username: row.username,
      email: row.email,
      isEmailConfirmed: row.email_confirmed_at !== null,
      isInactive: (row.suspended_at ?? row.deletion_requested_at) !== null,
      locale: row.settings.locale ?? null,
      siteId: row.site_id,
      phone: row.phone,
      featuredShow: row.settings.featured_show_notification ?? DEFAULT_SETTINGS.featured_show_notification,
    }])),
  chooseFeaturedShow: async (tx, personId, choice) => {
    await saveFeaturedShow(tx, personId, choice);
    const person = await findById(tx, personId);
    if (person) await settings.send(tx, person);
  },
});
