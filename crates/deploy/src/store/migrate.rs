//! Versions of the tables: numbered texts, each run once, in order.

use sqlx::Row;

use super::{Store, StoreError};

/// A version of the tables.
struct Migration {
    version: i64,
    /// For both databases.
    sql: &'static str,
    /// For PostgreSQL alone, after that.
    postgres: &'static str,
}

const MIGRATIONS: &[Migration] = &[
    Migration { version: 1, sql: include_str!("0001.sql"), postgres: "" },
    Migration { version: 2, sql: include_str!("0002.sql"), postgres: "" },
    Migration { version: 3, sql: include_str!("0003.sql"), postgres: include_str!("0003.postgres.sql") },
    Migration { version: 4, sql: include_str!("0004.sql"), postgres: "" },
    Migration { version: 5, sql: include_str!("0005.sql"), postgres: include_str!("0005.postgres.sql") },
];

/// Keeps other processes from changing the tables meanwhile; PostgreSQL only.
const LOCK: &str = "SELECT pg_advisory_xact_lock(762389)";

impl Store {
    pub(super) async fn migrate(&self) -> Result<(), StoreError> {
        let mut transaction = self.begin().await?;
        if self.shared {
            sqlx::query(LOCK).execute(&mut *transaction).await?;
        }
        sqlx::query("CREATE TABLE IF NOT EXISTS migrations (version BIGINT PRIMARY KEY)")
            .execute(&mut *transaction)
            .await?;
        let row = sqlx::query("SELECT COALESCE(MAX(version), 0) AS version FROM migrations")
            .fetch_one(&mut *transaction)
            .await?;
        let current: i64 = row.try_get("version")?;
        let newest = MIGRATIONS.last().map_or(0, |migration| migration.version);
        if current > newest {
            return Err(StoreError::Newer(current));
        }
        for migration in MIGRATIONS.iter().filter(|migration| migration.version > current) {
            let own = if self.shared { migration.postgres } else { "" };
            for statement in migration.sql.split(';').chain(own.split(';')).filter(|text| has_sql(text)) {
                sqlx::query(statement).execute(&mut *transaction).await?;
            }
            sqlx::query("INSERT INTO migrations (version) VALUES ($1)")
                .bind(migration.version)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await
    }
}

fn has_sql(statement: &str) -> bool {
    statement.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with("--"))
}
