from django.db import migrations, models


class Migration(migrations.Migration):

    dependencies = [
        ("study", "0004_rules_rollups_and_interview"),
    ]

    operations = [
        migrations.AddIndex(
            model_name="attempt",
            index=models.Index(
                condition=models.Q(("practice", True)), fields=["learner", "created_at"], name="attempt_practised"
            ),
        ),
    ]
