import { Button } from '#platform/ui/controls/button.tsx';
import { keepDigits, TextField } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { formatCount } from '#platform/ui/text/amounts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import { useLoginPrompt } from '#product/accounts/web/login-prompt.tsx';
import { useMe } from '#product/accounts/web/me.ts';
import { readPart } from '#product/rooms/rules/room-part.ts';
import { ActionButton } from '#product/rooms/web/action-button.tsx';
import { BarPanel } from '#product/rooms/web/bar-panel.tsx';
import type { PagePartProps } from '#product/rooms/web/page-part.ts';
import { useTipRefusal } from '#product/tips/web/tip-panel.tsx';
import { Users } from 'lucide-react';
import { useRef, useState } from 'react';
import { giveToGroupGoal, showsPart } from '../../client.ts';
import type { GroupGoalView } from '../../contract/group-goal.ts';
import { Cost } from '../private/amounts.tsx';
import { GroupGoalProgress } from './goal-progress.tsx';
import { showGift, useGiftKey } from './live.ts';

/** Initial amount of a gift, if the goal is missing at least as much. */
const USUAL_GIFT = 25;

/** The group goal of this room, and the way to give to it; nothing without a running goal. */
export function GoalAction(props: PagePartProps) {
  const { t, i18n } = useTranslation('shows');
  // The goal whose panel is open: the next goal does not open one by itself.
  const [openOf, setOpenOf] = useState<number | null>(null);
  const { groupGoal: goal } = readPart(props.room, showsPart);
  if (!goal || props.room.auth.isStreamer) return null;
  const isOpen = openOf === goal.id;
  const [progress, tokens] = [goal.progress, goal.tokens].map((count) => formatCount(count, i18n.language));
  return (
    <>
      <ActionButton
        label={t('goal.title')}
        text={t('goal.title')}
        icon={<Users size={20} aria-hidden />}
        detail={t('goal.progress', { progress: progress ?? '', tokens: tokens ?? '' })}
        expanded={isOpen}
        onClick={() => setOpenOf(isOpen ? null : goal.id)}
      />
      {isOpen
        ? (
          <BarPanel title={t('goal.title')} onClose={() => setOpenOf(null)}>
            <div className="flex flex-col gap-3">
              <GroupGoalProgress goal={goal} own={goal.own} />
              <GiveForm key={goal.id} goal={goal} {...props} />
              <p className="text-sm text-muted">{t('goal.terms')}</p>
            </div>
          </BarPanel>
        )
        : null}
    </>
  );
}

function GiveForm({ goal, room, onMoneyPrompt }: Pick<PagePartProps, 'room' | 'onMoneyPrompt'> & {
  readonly goal: GroupGoalView;
}) {
  const { t, i18n } = useTranslation('shows');
  const toast = useToast();
  const isMember = useMe() !== null;
  const askLogin = useLoginPrompt();
  const gift = useGiftKey();
  const { username } = room.user;
  const refused = useTipRefusal({ onLogin: () => void askLogin('goal'), onPrompt: onMoneyPrompt });
  /** The amount last requested. */
  const wanted = useRef<number>(undefined);
  const usual = Math.min(USUAL_GIFT, goal.tokens - goal.progress);
  const [typed, setTyped] = useState<string | null>(null);
  const tokens = Number(typed ?? usual);
  const form = useForm(giveToGroupGoal, {
    shape: async () => (await import('../../contract/group-goal.ts')).giveToGroupGoal,
    read: (fields) => {
      wanted.current = Number(textOf(fields, 'tokens'));
      return { username, tokens: wanted.current };
    },
    options: () => ({ idempotencyKey: gift.key() }),
    onRefused: (problem) => {
      if (problem.status > 0 && problem.status < 500) gift.over();
      return refused(problem, wanted.current);
    },
    applied: showGift(username),
    onDone: ({ given }) => {
      gift.over();
      toast(t('goal.given', { count: given, given: formatCount(given, i18n.language) }), 'success');
    },
  });
  if (!isMember) return <Button wide onClick={() => void askLogin('goal')}>{t('goal.give')}</Button>;
  const field = form.field('tokens');
  return (
    <form {...form.props} className="flex flex-col gap-3">
      <TextField
        {...field}
        label={t('goal.amount')}
        inputMode="numeric"
        autoComplete="off"
        required
        maxLength={6}
        onInput={keepDigits}
        defaultValue={usual}
        onChange={(change) => {
          setTyped(change.target.value);
          field.onChange(change);
        }}
      />
      {tokens > 0
        ? (
          <p className="text-sm">
            <Cost tokens={tokens} />
          </p>
        )
        : null}
      <FormError problem={form.problem} />
      <Button type="submit" tone="primary" wide busy={form.busy}>{t('goal.give')}</Button>
    </form>
  );
}
