import { runAdmin } from './parts/staff/admin.ts';

void runAdmin(process.argv.slice(2));
