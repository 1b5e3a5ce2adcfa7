import { readPages, routeData } from '#platform/ui/calls/route.ts';
import { Tabs } from '#platform/ui/controls/tabs.tsx';
import { Wide } from '#platform/ui/surfaces/page.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useMe } from '#product/accounts/web/me.ts';
import { useState } from 'react';
import { listSentTips } from '../client.ts';
import { TipHistory } from './tip-history.tsx';

const load = routeData({ texts: ['tips'], member: true, reads: () => [readPages(listSentTips, {})] });
export { load as clientLoader, load as loader };

/** All tips of a person: those they sent, and those a performer received. */
export default function TipsPage() {
  const { t } = useTranslation('tips');
  const isPerformer = useMe()?.user.type === 'model';
  const [side, setSide] = useState(isPerformer ? 'received' : 'sent');
  const panel = (of: 'sent' | 'received') => (
    <div className="pt-6">
      <TipHistory side={of} />
    </div>
  );
  return (
    <Wide title={t('history.title')} lead={t('history.lead')}>
      {isPerformer
        ? (
          <Tabs
            label={t('history.sides')}
            current={side}
            onChange={setSide}
            tabs={[
              { key: 'received', text: t('history.side.received'), panel: panel('received') },
              { key: 'sent', text: t('history.side.sent'), panel: panel('sent') },
            ]}
          />
        )
        : <TipHistory side="sent" />}
    </Wide>
  );
}
