import { Select } from '#platform/ui/controls/fields.tsx';
import { Tabs } from '#platform/ui/controls/tabs.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useState } from 'react';
import type { ModerationAction } from '../../rules.ts';
import type { Moderating } from '../actions/moderating.tsx';
import { useChatPermissions } from '../live.ts';
import { HeldQueue } from './held-queue.tsx';
import { RestrictedList } from './restricted-list.tsx';
import { RulesForm } from './rules-form.tsx';

/** Lists of the tab for people. */
const LISTS = ['bans', 'silences', 'moderators'] as const;

interface ModerationPanelProps {
  /** Username of the performer. */
  readonly room: string;
  readonly moderating: Moderating;
}

/** The moderation panel of a room: queue, restricted people, log and chat rules. */
export default function ModerationPanel({ room, moderating }: ModerationPanelProps) {
  const { t } = useTranslation('room-moderation');
  const { may, chatRules } = useChatPermissions(room);
  const rules = chatRules?.rules ?? null;
  const tabs = [
    { key: 'held', text: t('web.tabs.held'), panel: <HeldQueue room={room} moderating={moderating} /> },
    { key: 'people', text: t('web.tabs.people'), panel: <People room={room} moderating={moderating} /> },
    {
      key: 'log',
      text: t('web.tabs.log'),
      panel: <RestrictedList room={room} list="actions" mayUndo={() => false} onAct={moderating.act} />,
    },
    ...(rules
      ? [{
        key: 'rules',
        text: t('web.tabs.rules'),
        panel: <RulesForm room={room} rules={rules} isAll={may.change_rules} />,
      }]
      : []),
  ];
  return <Tabs label={t('web.panel')} tabs={tabs} />;
}

function People({ room, moderating }: ModerationPanelProps) {
  const { t } = useTranslation('room-moderation');
  const { may } = useChatPermissions(room);
  const [list, setList] = useState<(typeof LISTS)[number]>('bans');
  const mayUndo = (action: ModerationAction): boolean => action !== 'unmoderator' || may.name_moderators;
  return (
    <div className="flex flex-col">
      <div className="p-3">
        <Select
          label={t('web.list')}
          labelHidden
          value={list}
          options={LISTS.map((value) => ({ value, text: t(`web.lists.${value}`) }))}
          onChange={({ target }) => setList(target.value as (typeof LISTS)[number])}
        />
      </div>
      <RestrictedList key={list} room={room} list={list} mayUndo={mayUndo} onAct={moderating.act} />
    </div>
  );
}
