import { queryKeyOf, useCache } from '#platform/ui/calls/calls.ts';
import { Button } from '#platform/ui/controls/button.tsx';
import { TextArea } from '#platform/ui/controls/fields.tsx';
import { textOf, useForm } from '#platform/ui/forms/form.ts';
import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { FormError } from '#platform/ui/surfaces/states.tsx';
import { useToast } from '#platform/ui/surfaces/toasts.tsx';
import { useTranslation } from '#platform/ui/text/use-translation.ts';
import {
  approvePolicy,
  listPolicies,
  listPolicyHistory,
  previewPolicy,
  rejectPolicy,
  withdrawPolicy,
} from '../../client.ts';
import type { PolicyView } from '../../contract/policies.ts';
import { usePlaceName } from './words.ts';

export type Decision = 'approve' | 'reject' | 'withdraw';
const CALLS = { approve: approvePolicy, reject: rejectPolicy, withdraw: withdrawPolicy } as const;

/** Reads everything about policies again after a change of one. */
export function usePoliciesSaved(): () => Promise<void> {
  const cache = useCache();
  return async () => {
    for (const call of [listPolicies, listPolicyHistory, previewPolicy]) {
      await cache.invalidateQueries({ queryKey: queryKeyOf(call) });
    }
  };
}

/** Approves, rejects or withdraws a policy, with a reason. */
export function DecisionDialog(
  { policy, decision, onClose }: { policy: PolicyView; decision: Decision; onClose: () => void },
) {
  const { t } = useTranslation('compliance');
  const nameOf = usePlaceName();
  const saved = usePoliciesSaved();
  const toast = useToast();
  const place = nameOf(policy.region);
  const form = useForm(CALLS[decision], {
    shape: async () => {
      const contract = await import('../../contract/policies.ts');
      return {
        approve: contract.approvePolicy,
        reject: contract.rejectPolicy,
        withdraw: contract.withdrawPolicy,
      }[decision];
    },
    read: (fields) => ({ id: policy.id ?? 0, reason: textOf(fields, 'reason').trim() }),
    onDone: async () => {
      await saved();
      toast(t(`regions.decide.${decision}.done`, { place }), 'success');
      onClose();
    },
  });
  return (
    <Dialog title={t(`regions.decide.${decision}.title`, { place })} onClose={onClose}>
      <form {...form.props} className="flex flex-col gap-4">
        <p className="text-sm text-muted">{t(`regions.decide.${decision}.text`)}</p>
        <TextArea
          {...form.field('reason')}
          label={t('regions.decide.reason')}
          hint={t('regions.decide.reasonHint')}
          required
          minLength={3}
          maxLength={500}
        />
        <FormError problem={form.problem} />
        <div className="flex justify-end gap-3">
          <Button onClick={onClose}>{t('regions.decide.cancel')}</Button>
          <Button type="submit" tone={decision === 'approve' ? 'primary' : 'danger'} busy={form.busy}>
            {t(`regions.decide.${decision}.press`)}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
