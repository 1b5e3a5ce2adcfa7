import { data } from 'react-router';

/** No page has this address: the root's error page shows it, with status 404. */
const refuse = (): never => {
  throw data(null, { status: 404 });
};
export const loader = () => refuse();
export const clientLoader = () => refuse();
export const handle = { always: true };

export default function NotFound() {
  return null;
}
