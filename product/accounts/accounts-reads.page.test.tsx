import {
  expectAllReads,
  showsFaces,
  titled,
  viewerAt,
  type QuietRead,
  type ReadCase,
} from '#product/testkit/pages/read-faces.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { lastMessageTo } from '#product/testkit/store/stored-people.ts';
import { afterAll, beforeAll, test } from 'vitest';
import {
  getCopyState,
  getCurrentUser,
  getDeletion,
  getEmail,
  getEmailToRestore,
  getPerson,
  getPhone,
  getTwoFactor,
  getUsernameChange,
  getWaysInCheck,
  listDevices,
  listLinked,
  listPasskeys,
  listPersonSessions,
  listProviders,
  searchPeople,
} from './client.ts';
import { confirmEmail, register } from './contract.ts';
import { changeEmail } from './contract/life/email.ts';
import { updateSettings } from './contract/settings.ts';

/** A member whose free tokens wait for a confirmed address: a notice on each page opens the dialog. */
const unconfirmed: ReadCase['way'] = async (site) => {
  await site.tx((tx) => site.services.billing.configure(tx, { signUpTokens: 25 }, null));
  const visitor = await site.visitor({ ofAge: true });
  await visitor.call(register, {
    username: 'not-yet-confirmed',
    email: 'not-yet-confirmed@mail.example',
    password: 'harbour-lights-9',
    birth_date: '1991-03-14',
    type: 'user',
    accept_terms: true,
  });
  await visitor.opens();
  return { visitor, at: '/tags', leads: (page) => page.press('Confirm email') };
};

const SETTINGS = '/account/settings';
/** A member with an unconfirmed phone number: without one there is nothing to show. */
const withPhone: ReadCase['way'] = async (site) => {
  const visitor = await site.viewer();
  await visitor.call(updateSettings, { phone: '+31612345678' });
  return { visitor, at: SETTINGS };
};
/** An admin looks at an account. */
const ofSomebody: ReadCase['way'] = async (site) => {
  const [admin, { username }] = [await site.admin(), await site.viewer()];
  return { visitor: admin, at: `/admin/people?username=${username}` };
};
/** A guest with the link that restores a replaced address. */
const withFormerEmail: ReadCase['way'] = async (site) => {
  const owner = await site.viewer();
  const tokenTo = async (address: string): Promise<string> =>
    /token=(\S+)/u.exec(await site.tx((tx) => lastMessageTo(tx, address)))?.[1] ?? '';
  await owner.call(changeEmail, { email: 'changed-lately@mail.example' });
  const token = await tokenTo('changed-lately@mail.example');
  await owner.call(confirmEmail, { token });
  const visitor = await site.visitor({ ofAge: true });
  return { visitor, at: `/restore-email?token=${await tokenTo(owner.person.email)}` };
};
const PAGE = 'pages/settings-page.tsx';
const CASES: readonly ReadCase[] = [
  { in: [PAGE, 'settings/devices.tsx'], call: listDevices, way: viewerAt(SETTINGS) },
  { in: [PAGE, 'settings/two-factor.tsx'], call: getTwoFactor, way: viewerAt(SETTINGS) },
  { in: [PAGE, 'settings/passkeys.tsx'], call: listPasskeys, way: viewerAt(SETTINGS) },
  { in: [PAGE, 'settings/providers.tsx'], call: listProviders, way: viewerAt(SETTINGS) },
  { in: [PAGE, 'settings/life/account-section.tsx'], call: getEmail, way: viewerAt(SETTINGS) },
  { in: [PAGE, 'settings/phone-part.tsx'], call: getPhone, way: withPhone },
  { in: ['email/email-dialog.tsx'], call: getEmail, way: unconfirmed },
  { in: ['settings/life/linked-section.tsx'], call: listLinked, way: viewerAt(SETTINGS) },
  {
    in: ['settings/life/copy-dialog.tsx'],
    call: getCopyState,
    way: viewerAt(SETTINGS, { leads: (page) => page.press('Download my data') }),
  },
  {
    in: ['settings/life/username-dialog.tsx'],
    call: getUsernameChange,
    way: viewerAt(SETTINGS, { leads: (page) => page.press('Change username') }),
  },
  {
    in: ['deletion/delete-dialog.tsx'],
    call: getDeletion,
    way: viewerAt(SETTINGS, { leads: (page) => page.press('Delete account') }),
  },
  { in: ['recovery/restore-email-page.tsx'], call: getEmailToRestore, way: withFormerEmail },
  { in: ['recovery/ways-in-page.tsx'], call: getWaysInCheck, way: viewerAt('/account/ways-in') },
  {
    in: ['admin/people-finder.tsx', 'admin/found-people.tsx'],
    call: searchPeople,
    way: async (site) => ({ visitor: await site.admin(), at: '/admin/people?q=admin' }),
  },
  { in: ['admin/people-finder.tsx'], call: getPerson, way: ofSomebody },
  { in: ['admin/sessions-of.tsx'], call: listPersonSessions, way: ofSomebody },
];
const QUIET: readonly QuietRead[] = [
  {
    in: ['me.ts'],
    call: getCurrentUser,
    because: 'read again after a log-in, by the form that waits for it; the root reads it first',
  },
];

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('each read of these pages has a case here [C-109]', () => expectAllReads('accounts', CASES, QUIET));
test.each(titled(CASES))(
  '%s shows that it loads, that it failed, and its answer [C-109]',
  (_title, item) => showsFaces(site, item),
);
