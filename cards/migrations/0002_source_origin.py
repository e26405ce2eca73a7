"""Who owns a source. Until now the content loader wrote them, so those there are count as shipped."""

from django.db import migrations, models

CHOICES = [("shipped", "Shipped"), ("local", "Local")]


class Migration(migrations.Migration):
    dependencies = [("cards", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="source",
            name="origin",
            field=models.CharField(choices=CHOICES, default="shipped", max_length=8),
        ),
        migrations.AlterField(
            model_name="source",
            name="origin",
            field=models.CharField(choices=CHOICES, default="local", max_length=8),
        ),
    ]
