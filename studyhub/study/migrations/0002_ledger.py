"""Triggers that refuse UPDATE and DELETE of the review ledger."""

from django.db import migrations

from studyhub.study.ledger import guard_ledger

DROP = {
    "sqlite": (
        "DROP TRIGGER IF EXISTS study_review_refuses_update",
        "DROP TRIGGER IF EXISTS study_review_refuses_delete",
    ),
    "postgresql": (
        "DROP TRIGGER IF EXISTS study_review_refuses_change ON study_review",
        "DROP FUNCTION IF EXISTS studyhub_refuse_change()",
    ),
}


def guard(apps, schema_editor):
    guard_ledger(schema_editor.connection)


def unguard(apps, schema_editor):
    with schema_editor.connection.cursor() as cursor:
        for statement in DROP[schema_editor.connection.vendor]:
            cursor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("study", "0001_initial")]
    operations = [migrations.RunPython(guard, unguard)]
