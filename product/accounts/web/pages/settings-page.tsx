import type { KeyOf } from '#platform/text/message-keys.ts';
import { read } from '#platform/ui/calls/route.ts';
import { Card } from '#platform/ui/surfaces/card.tsx';
import { Heading, Title } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import type { ComponentType, ReactNode } from 'react';
import { getEmail, getPhone, getTwoFactor, listDevices, listPasskeys, listProviders } from '../../client.ts';
import { BecomeSection } from '../become-section.tsx';
import { DeleteSection } from '../deletion/delete-section.tsx';
import { useMe, type Me } from '../me.ts';
import { Devices } from '../settings/devices.tsx';
import { AccountSection } from '../settings/life/account-section.tsx';
import { LinkedSection } from '../settings/life/linked-section.tsx';
import { OwnDataSection } from '../settings/life/own-data-section.tsx';
import { Passkeys } from '../settings/passkeys.tsx';
import { Providers, useHasProviders } from '../settings/providers.tsx';
import { QuickExitSection } from '../settings/quick-exit.tsx';
import { ChatSection } from '../settings/sections/chat.tsx';
import { SpendingSection } from '../settings/sections/money.tsx';
import { BrowsingSection, LookSection } from '../settings/sections/pages.tsx';
import { PasswordSection } from '../settings/sections/password.tsx';
import { ContactSection, ProfileSection } from '../settings/sections/person.tsx';
import { PrivacySection, ShowNoticesSection } from '../settings/sections/privacy.tsx';
import { RoomSection } from '../settings/sections/room.tsx';
import type { SectionProps } from '../settings/sections/settings-form.tsx';
import { TwoFactor } from '../settings/two-factor.tsx';

/** What the route of the page loads. */
export const settingsData = {
  texts: ['accounts'],
  always: true,
  member: true,
  reads: () => [
    read(listDevices, {}),
    read(getTwoFactor, {}),
    read(listPasskeys, {}),
    read(listProviders, {}),
    read(getEmail, {}),
    read(getPhone, {}),
  ],
};

interface Section {
  /** The id of its heading, for links. */
  readonly id: string;
  readonly title: KeyOf<'accounts'>;
  readonly Content: ComponentType<SectionProps>;
  /** Whom the section is shown to; left out, everybody. */
  readonly isFor?: (me: Me) => boolean;
}

/** The settings of an account, each section saved by itself. */
const SECTIONS: readonly Section[] = [
  { id: 'account', title: 'settings.account', Content: AccountSection },
  { id: 'profile', title: 'settings.profile', Content: ProfileSection },
  { id: 'contact', title: 'settings.contact.title', Content: ContactSection },
  { id: 'look', title: 'settings.look', Content: LookSection },
  { id: 'browsing', title: 'settings.browsing.title', Content: BrowsingSection },
  { id: 'chat', title: 'settings.chat.title', Content: ChatSection },
  {
    id: 'room',
    title: 'settings.room.title',
    Content: RoomSection,
    isFor: ({ user }) => user.type === 'model',
  },
  {
    id: 'performing',
    title: 'models.title',
    Content: BecomeSection,
    isFor: ({ user }) => user.type !== 'model',
  },
  { id: 'privacy', title: 'settings.privacy.title', Content: PrivacySection },
  { id: 'quick-exit', title: 'settings.exit.title', Content: QuickExitSection },
  { id: 'notices', title: 'settings.notices.title', Content: ShowNoticesSection },
  { id: 'spending', title: 'settings.spending.title', Content: SpendingSection },
  { id: 'password', title: 'settings.password', Content: PasswordSection },
  { id: 'two-step', title: 'twoFactor.title', Content: TwoFactor },
  { id: 'passkeys', title: 'passkeys.title', Content: Passkeys },
  { id: 'providers', title: 'providers.title', Content: Providers },
  { id: 'linked', title: 'linked.title', Content: LinkedSection },
  { id: 'sessions', title: 'settings.sessions', Content: Devices },
  { id: 'data', title: 'ownData.title', Content: OwnDataSection },
  { id: 'delete', title: 'deletion.title', Content: DeleteSection },
];

/** @param children what later slices show above the sections */
export function SettingsPage({ children }: { readonly children: ReactNode }) {
  const { t } = useTranslation('accounts');
  const me = useMe();
  const hasProviders = useHasProviders();
  if (!me) return null;
  const sections = SECTIONS.filter(({ id, isFor }) =>
    (isFor?.(me) ?? true) && (id !== 'providers' || hasProviders)
  );
  return (
    <div className="mx-auto flex w-full max-w-2xl flex-col gap-6 px-4 py-8">
      <Title>{t('settings.title')}</Title>
      <div>
        <Heading>{t('settings.title')}</Heading>
        <p className="mt-1 text-muted">@{me.user.username} · {me.user.email}</p>
      </div>
      <nav aria-label={t('settings.sections')}>
        <ul className="flex flex-wrap gap-2">
          {sections.map(({ id, title }) => (
            <li key={id}>
              <a
                href={`#${id}`}
                className="inline-flex min-h-11 items-center rounded-full border border-line bg-raised px-4
                  text-sm font-medium hover:border-muted"
              >
                {t(title)}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      {children}
      {sections.map(({ id, title, Content }) => (
        <Card key={id} className="scroll-mt-20 p-4 sm:p-6">
          <section id={id} aria-labelledby={`${id}-title`} className="scroll-mt-24">
            <h2 id={`${id}-title`} className="mb-4 text-lg font-bold">{t(title)}</h2>
            <Content me={me} />
          </section>
        </Card>
      ))}
    </div>
  );
}
