import { routeData } from '#platform/ui/calls/route.ts';
import { PeopleFinder, peopleReads } from '#product/accounts/web/admin/people-finder.tsx';
import { PaymentsOf } from '#product/billing/web/admin/payments-of.tsx';
import { OperationsOf } from '#product/ledger/web/admin/operations-of.tsx';
import { TokensOf } from '#product/ledger/web/admin/tokens-of.tsx';

const wanted = {
  texts: ['accounts', 'billing', 'ledger'],
  always: true,
  member: true,
  reads: ({ request }: { readonly request: Request }) => peopleReads(new URL(request.url).searchParams),
};
export const loader = routeData(wanted);
export const clientLoader = routeData(wanted);
export const handle = { always: true };

/** Accounts for admins: found by part of a name, an address or an id, each with its data. */
export default function PeoplePage() {
  return (
    <PeopleFinder>
      {(username) => (
        <>
          <PaymentsOf username={username} />
          <TokensOf username={username} />
          <OperationsOf username={username} paymentsPath="/admin/payments" />
        </>
      )}
    </PeopleFinder>
  );
}
