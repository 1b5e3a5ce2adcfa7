import { keyOf } from '#platform/text/message-keys.ts';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import {
  BadgeCheck,
  BookOpenCheck,
  Bug,
  CreditCard,
  FileSignature,
  Flag,
  Gavel,
  Globe,
  IdCard,
  LifeBuoy,
  Mail,
  MapPinned,
  MessageSquareX,
  Package,
  ShieldCheck,
  Signpost,
  Users,
  type LucideIcon,
} from 'lucide-react';
import { useEffect, useId, useRef } from 'react';
import { NavLink, useLocation } from 'react-router';
import type { AdminGroup, AdminPage } from './admin-pages.ts';

const ICONS: Readonly<Record<string, LucideIcon>> = {
  accounts: Users,
  ageChecks: BadgeCheck,
  agreements: FileSignature,
  cases: Gavel,
  clearances: ShieldCheck,
  clientErrors: Bug,
  identity: IdCard,
  ledger: BookOpenCheck,
  outbox: Mail,
  payments: CreditCard,
  products: Package,
  redirects: Signpost,
  regions: MapPinned,
  reports: Flag,
  site: Globe,
  support: LifeBuoy,
  words: MessageSquareX,
};

/** To the left of the page in a wide window, otherwise a row above it that scrolls. */
export function AdminNav({ groups }: { groups: readonly AdminGroup[] }) {
  const { t } = useTranslation('screens');
  const row = useRef<HTMLDivElement>(null);
  useCurrentInView(row);
  return (
    <nav aria-label={t('admin.title')} className="relative shrink-0 lg:w-56 lg:border-r lg:border-line">
      <a
        href="#admin-page"
        className="sr-only z-40 rounded-control bg-raised px-4 py-3 focus:not-sr-only focus:absolute
          focus:top-1 focus:left-2"
      >
        {t('skip')}
      </a>
      <div
        ref={row}
        className="sideways relative flex overflow-x-auto border-b border-line px-2 lg:sticky lg:top-14
          lg:max-h-[calc(100dvh-3.5rem)] lg:flex-col lg:gap-4 lg:overflow-y-auto lg:border-0
          lg:bg-transparent lg:bg-none lg:px-3 lg:py-6"
      >
        {groups.map((group) => <Group key={group.key} group={group} />)}
      </div>
    </nav>
  );
}

function Group({ group: { key, pages } }: { group: AdminGroup }) {
  const { t } = useTranslation('screens');
  const id = useId();
  return (
    <div className="flex shrink-0 items-center not-first:before:mx-1 not-first:before:h-6
      not-first:before:w-px not-first:before:bg-line lg:block lg:not-first:before:hidden">
      <p id={id} className="px-3 pb-1 text-xs font-medium text-muted max-lg:sr-only">
        {t(keyOf('screens', 'admin.group', key))}
      </p>
      <ul aria-labelledby={id} className="flex lg:flex-col lg:gap-1">
        {pages.map((page) => (
          <li key={page.key}>
            <PageLink page={page} />
          </li>
        ))}
      </ul>
    </div>
  );
}

function PageLink({ page: { key, to } }: { page: AdminPage }) {
  const { t } = useTranslation('screens');
  const Icon = ICONS[key];
  return (
    <NavLink
      to={to}
      className="flex min-h-12 items-center gap-2 border-b-2 border-transparent px-3 text-sm font-medium
        whitespace-nowrap text-muted -outline-offset-2 hover:text-text aria-[current=page]:border-pink
        aria-[current=page]:text-text lg:min-h-11 lg:gap-3 lg:rounded-control lg:border-0 lg:hover:bg-raised
        lg:aria-[current=page]:bg-raised lg:aria-[current=page]:font-bold"
    >
      {Icon ? <Icon size={20} aria-hidden className="shrink-0" /> : null}
      {t(keyOf('screens', 'admin', key))}
    </NavLink>
  );
}

/** Scrolls the row so that the open page is in its middle, as far as the row reaches. */
function useCurrentInView(row: React.RefObject<HTMLElement | null>): void {
  const { pathname } = useLocation();
  useEffect(() => {
    const list = row.current;
    const current = list?.querySelector<HTMLElement>('[aria-current=page]');
    if (!list || !current) return;
    list.scrollLeft = current.offsetLeft - (list.clientWidth - current.offsetWidth) / 2;
  }, [pathname, row]);
}
