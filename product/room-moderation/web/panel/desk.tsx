import { useState } from 'react';
import { Select } from '../../../../platform/ui/controls/fields.tsx';
import { Tabs } from '../../../../platform/ui/controls/tabs.tsx';
import { useTranslation } from '../../../../platform/ui/text/use-translation.ts';
import type { ModerationAction } from '../../rules.ts';
import { HeldQueue } from './held-queue.tsx';
import { useStanding } from '../live.ts';
import type { Moderating } from '../actions/moderating.tsx';
import { RestrictedList } from './restricted-list.tsx';
import { RulesForm } from './rules-form.tsx';

/** Who is restricted, and who keeps order. */
const LISTS = ['bans', 'silences', 'moderators'] as const;

interface DeskProps {
  /** Username of the performer. */
  readonly room: string;
  readonly moderating: Moderating;
}

/** The moderator's view of a room: what waits, who is restricted, what was done, what the room asks for. */
export default function Desk({ room, moderating }: DeskProps) {
  const { t } = useTranslation('room-moderation');
  const { may, chatRules } = useStanding(room);
  const rules = chatRules?.rules ?? null;
  const tabs = [
    { key: 'held', text: t('web.tabs.held'), panel: <HeldQueue room={room} moderating={moderating} /> },
    { key: 'people', text: t('web.tabs.people'), panel: <People room={room} moderating={moderating} /> },
    { key: 'log', text: t('web.tabs.log'), panel: (
      <RestrictedList room={room} list="actions" mayUndo={() => false} onAct={moderating.act} />
    ) },
    ...(rules ? [{ key: 'rules', text: t('web.tabs.rules'), panel: (
      <RulesForm room={room} rules={rules} isAll={may.change_rules} />
    ) }] : []),
  ];
  return <Tabs label={t('web.desk')} tabs={tabs} />;
}

function People({ room, moderating }: DeskProps) {
  const { t } = useTranslation('room-moderation');
  const { may } = useStanding(room);
  const [list, setList] = useState<(typeof LISTS)[number]>('bans');
  const mayUndo = (action: ModerationAction): boolean => action !== 'unmoderator' || may.name_moderators;
  return (
    <div className="flex flex-col">
      <div className="p-3">
        <Select label={t('web.list')} labelHidden value={list}
          options={LISTS.map((value) => ({ value, text: t(`web.lists.${value}`) }))}
          onChange={({ target }) => setList(target.value as (typeof LISTS)[number])} />
      </div>
      <RestrictedList key={list} room={room} list={list} mayUndo={mayUndo} onAct={moderating.act} />
    </div>
  );
}
