-- What was counted goes with its performer.
grant delete on messaging.alerts, messaging.follower_counts to candela_app;
