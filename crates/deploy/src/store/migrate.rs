//! Versions of the tables: numbered texts, each run once, in order.

use sqlx::Row;

use super::{Store, StoreError};

const MIGRATIONS: &[(i64, &str)] = &[(1, include_str!("0001.sql")), (2, include_str!("0002.sql"))];

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
        let newest = MIGRATIONS.last().map_or(0, |(version, _)| *version);
        if current > newest {
            return Err(StoreError::Newer(current));
        }
        for (version, text) in MIGRATIONS.iter().filter(|(version, _)| *version > current) {
            for statement in text.split(';').filter(|statement| has_sql(statement)) {
                sqlx::query(statement).execute(&mut *transaction).await?;
            }
            sqlx::query("INSERT INTO migrations (version) VALUES ($1)")
                .bind(*version)
                .execute(&mut *transaction)
                .await?;
        }
        transaction.commit().await?;
        Ok(())
    }
}

fn has_sql(statement: &str) -> bool {
    statement.lines().any(|line| !line.trim().is_empty() && !line.trim_start().starts_with("--"))
}
