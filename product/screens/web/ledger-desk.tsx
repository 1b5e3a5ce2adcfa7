import { HealthPanel } from '../../ledger/web/desk/health-panel.tsx';
import { OperationFinder } from '../../ledger/web/desk/operation-finder.tsx';
import { TipRules } from '../../tips/web/limit/tip-rules.tsx';

/** Whether the books are sound, any operation with all that belongs to it, and what may be tipped a day. */
export function LedgerDesk() {
  return (
    <div className="flex flex-col gap-8">
      <HealthPanel />
      <OperationFinder paymentsPath="/admin/payments" />
      <TipRules />
    </div>
  );
}
