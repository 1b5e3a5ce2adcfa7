import type { Problem } from '#platform/contract/client.ts';
import { useAction } from '#platform/ui/calls/calls.ts';
import { useReadPages } from '#platform/ui/calls/pages.ts';
import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Button, ButtonLink, IconButton } from '#platform/ui/controls/button.tsx';
import { MorePages } from '#platform/ui/controls/lists/more-pages.tsx';
import { Tabs } from '#platform/ui/controls/tabs.tsx';
import { Card, Pill } from '#platform/ui/surfaces/card.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { Loaded } from '#platform/ui/surfaces/section.tsx';
import { EmptyState, FormError } from '#platform/ui/surfaces/states.tsx';
import { RelativeTime } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { Bell, Check, MailOpen, Settings, X } from 'lucide-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { deleteNotice, listNotices, markAllNotices, markNotice } from '../client.ts';
import type { NoticeView } from '../contract.ts';
import { LISTS, showAllMarked, showDeleted, showMarked } from './live.ts';

const wanted = routeData({ texts: ['notices'], member: true, reads: () => [readPages(listNotices, {})] });
export { wanted as clientLoader, wanted as loader };

/** A person's list of notices. */
export default function NotificationsPage() {
  const { t } = useTranslation('notices');
  const [tab, setTab] = useState('all');
  const [all, unread] = LISTS;
  return (
    <Wide title={t('list.title')} lead={t('list.lead')}>
      <div className="mb-2">
        <ButtonLink to="/notifications/settings" tone="quiet">
          <Settings size={20} aria-hidden />
          {t('list.preferences')}
        </ButtonLink>
      </div>
      <Tabs
        label={t('list.show')}
        current={tab}
        onChange={setTab}
        tabs={[
          { key: 'all', text: t('list.all'), panel: <NoticeList list={all} empty={t('list.empty')} /> },
          {
            key: 'unread',
            text: t('list.unreadOnly'),
            panel: <NoticeList list={unread} empty={t('list.emptyUnread')} />,
          },
        ]}
      />
    </Wide>
  );
}

function NoticeList({ list, empty }: { list: (typeof LISTS)[number]; empty: string }) {
  const { t } = useTranslation('notices');
  const read = useReadPages(listNotices, list);
  const markAll = useAction(markAllNotices, showAllMarked);
  return (
    <div className="pt-4">
      <Loaded read={read} height="h-64">
        {({ pages }) => {
          const notices = pages.flatMap((page) => page.notices);
          const [newest] = notices;
          if (!newest && !read.hasNextPage) {
            return (
              <EmptyState
                text={empty}
                icon={<Bell size={40} aria-hidden />}
                action={<ButtonLink to="/">{t('list.browse')}</ButtonLink>}
              />
            );
          }
          return (
            <>
              {newest && notices.some((notice) => !notice.read)
                ? (
                  <div className="mb-3">
                    <Button busy={markAll.busy} onClick={() => void markAll.run({ up_to: newest.id })}>
                      <Check size={20} aria-hidden />
                      {t('list.markAll')}
                    </Button>
                  </div>
                )
                : null}
              <FormError problem={markAll.problem} />
              <Card>
                <ul className="divide-y divide-line" aria-label={t('list.title')}>
                  {notices.map((item) => <Row key={item.id} notice={item} />)}
                </ul>
              </Card>
              <MorePages read={read} />
            </>
          );
        }}
      </Loaded>
    </div>
  );
}

function Row({ notice: { id, title, text, link, at, read } }: { notice: NoticeView }) {
  const { t } = useTranslation('notices');
  const mark = useAction(markNotice, showMarked);
  const remove = useAction(deleteNotice, showDeleted);
  const problem: Problem | null = mark.problem ?? remove.problem;
  return (
    <li className="flex items-start gap-2 p-3">
      <div className="min-w-0 grow">
        <p className="flex flex-wrap items-center gap-x-2">
          <Link
            to={link}
            onClick={() => void (read ? null : mark.run({ id, read: true }))}
            className={`py-1 wrap-anywhere hover:underline max-sm:min-h-11 ${read ? '' : 'font-bold'}`}
          >
            {title}
          </Link>
          {read ? null : <Pill tone="online">{t('list.new')}</Pill>}
        </p>
        <p className="text-sm wrap-anywhere text-muted">{text}</p>
        <p className="text-sm text-muted">
          <RelativeTime at={at} />
        </p>
        <FormError problem={problem} />
      </div>
      <IconButton
        label={t(read ? 'list.unreadOne' : 'list.readOne', { title })}
        onClick={() => void mark.run({ id, read: !read })}
      >
        {read ? <MailOpen size={20} aria-hidden /> : <Check size={20} aria-hidden />}
      </IconButton>
      <IconButton label={t('list.removeOne', { title })} onClick={() => void remove.run({ id })}>
        <X size={20} aria-hidden />
      </IconButton>
    </li>
  );
}
